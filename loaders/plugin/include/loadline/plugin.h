/* How to measure your own loader with loadline: make a shared library that exports loadline_plugin(), and name it:
 *
 *     loadline run --loader thread-pool,./libmine.so --workers 1,2,4
 *     loadline run --loader ./libmine.so:shards=8,mode=fast       (with its own options)
 *     loadline check ./libmine.so                                 (whether it loses or repeats samples)
 *
 * C99 and C++; needs no library. docs/plugins.md has an example.
 *
 * Threads. One thread at a time calls open(), next() and close() of one loader. Any thread may call release() and
 * stop(), also while next() waits. Loaders that are open at the same time share only what the plug-in shares between
 * them. Threads that open() starts inherit the CPUs that --placement assigns to workers.
 *
 * Errors. A function that fails returns LOADLINE_FAILED and writes a sentence to `error`, which has room for
 * `error_bytes`, including the final zero; loadline prints it after the plug-in's name. A C++ exception that leaves
 * open() or next() counts as such a failure, with what() in its sentence. Functions that return nothing cannot fail
 * otherwise: an exception that leaves release() fails the following next(), and one that leaves stop() or close() is
 * dropped, because no more batches are requested by then.
 */
#ifndef LOADLINE_PLUGIN_H
#define LOADLINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. A plug-in compiled with another version is refused. */
#define LOADLINE_PLUGIN_VERSION 1

#define LOADLINE_MOST_DIMENSIONS 8

/* Result of a function. */
/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using): C */
enum {
  LOADLINE_OK = 0,
  LOADLINE_EPOCH_END = 1, /* from next(): no batch; the epoch is over, and the next call begins another one */
  LOADLINE_STOPPED = 2,   /* from next(), after stop(): no batch now or later */
  LOADLINE_FAILED = 3
};

/* Element types. */
enum {
  LOADLINE_U8 = 1,
  LOADLINE_I8 = 2,
  LOADLINE_I16 = 3,
  LOADLINE_I32 = 4,
  LOADLINE_I64 = 5,
  LOADLINE_F16 = 6,
  LOADLINE_BF16 = 7,
  LOADLINE_F32 = 8,
  LOADLINE_F64 = 9
};

typedef struct loadline_option {
  const char* key;
  const char* value;
} loadline_option;

/* What loadline requests. Valid until close(). Binding: `data`, `split`, `rank` and `ranks` decide which samples an
 * epoch has, `batch_size` and `held` limit its batches. A plug-in may ignore the rest: each batch describes what it
 * delivers. Only `loadline check` also insists on `drop_last`. */
typedef struct loadline_request {
  const char* data;               /* path of the dataset, as the user gave it */
  const char* split;              /* "train" or "test" */
  size_t samples;                 /* in the dataset, over all ranks */
  size_t batch_size;              /* samples */
  size_t workers;                 /* 0 if the plug-in has no workers */
  size_t prefetch;                /* batches to keep ready beyond those the workers hold; 0 without workers */
  size_t held;                    /* most batches that may be unreleased when next() is called */
  const char* order;              /* "shuffled", "sequential" or "page-shuffled" */
  uint64_t seed;                  /* for order and augmentation */
  uint64_t epoch;                 /* the first epoch; epochs follow each other endlessly */
  size_t rank;                    /* which share of each epoch to deliver, from 0 */
  size_t ranks;                   /* how many shares there are, at least 1 */
  int drop_last;                  /* not 0: omit a short last batch */
  int32_t dtype;                  /* LOADLINE_U8, LOADLINE_F32 or LOADLINE_BF16; LOADLINE_I32 for tokens */
  const char* layout;             /* "nchw" or "nhwc" */
  const loadline_option* options; /* those after the colon of --loader, in order */
  size_t option_count;
} loadline_request;

/* A batch, in the plug-in's memory. It must not change until release(), which may come after stop(): loadline goes on
 * reading the batches that it holds. */
typedef struct loadline_batch {
  const void* data;   /* all samples, one after another, without gaps; aligned for an element */
  int64_t count;      /* samples, 1 to batch_size; below batch_size only in an epoch's last batch */
  int32_t dtype;      /* LOADLINE_U8, ...: the same in all batches */
  int32_t dimensions; /* of one sample: how many entries of `shape` count, 0 to 8 */
  int64_t shape[LOADLINE_MOST_DIMENSIONS]; /* of one sample: the same in all batches */
  const int32_t* labels;                   /* one per sample, or NULL */
  const uint32_t* indices;                 /* which sample of the dataset each one is, from 0, or NULL */
  void* own;                               /* the plug-in's own pointer, for release() */
} loadline_batch;

/* What open() creates. The plug-in defines it. */
typedef struct loadline_loader loadline_loader;

typedef struct loadline_plugin_table {
  uint32_t version;           /* LOADLINE_PLUGIN_VERSION */
  int32_t has_workers;        /* not 0: it uses --workers and --prefetch */
  const char* name;           /* "mine"; NULL or "": messages use the name of its file */
  const char* plugin_version; /* the plug-in's own version, for the result: "1.2"; may be NULL */

  /* Creates a loader, whose threads may begin at once. If it fails, close() is not called: it frees what it made. */
  int32_t (*open)(const loadline_request* request, loadline_loader** loader, char* error, size_t error_bytes);
  /* Waits for the next batch and writes it to `batch`, which is all zero. Called until it fails or stops. */
  int32_t (*next)(loadline_loader* loader, loadline_batch* batch, char* error, size_t error_bytes);
  /* Takes a batch's memory back: called once for each batch from next(), before close(). May be NULL. */
  void (*release)(loadline_loader* loader, const loadline_batch* batch);
  /* Wakes a waiting next(), which then returns LOADLINE_STOPPED. Returns at once. NULL: next() never waits long. */
  void (*stop)(loadline_loader* loader);
  /* Ends the loader's threads and frees it, after its last next(). */
  void (*close)(loadline_loader* loader);
} loadline_plugin_table;

#if defined(__GNUC__)
#define LOADLINE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define LOADLINE_PLUGIN_EXPORT
#endif

/* The one function that a plug-in exports. Its result must stay valid as long as the program. */
LOADLINE_PLUGIN_EXPORT const loadline_plugin_table* loadline_plugin(void);
/* NOLINTEND(readability-identifier-naming,modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
