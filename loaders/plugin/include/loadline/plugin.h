/* How a loader of your own is measured by loadline: make a shared library that exports loadline_plugin(), and name it:
 *
 *     loadline run --loader thread-pool,./libmine.so --workers 1,2,4
 *     loadline run --loader ./libmine.so:shards=8,mode=fast       (options of its own)
 *     loadline check ./libmine.so                                 (whether it loses or repeats samples)
 *
 * C99 and C++; needs no library. docs/plugins.md has an example.
 *
 * Threads. open(), next() and close() of one loader are called by one thread at a time. release() and stop() may be
 * called by any thread, also while next() waits. Loaders that are open at the same time share nothing but what the
 * plug-in shares between them. Threads that open() starts inherit the CPUs that --placement has for workers.
 *
 * Errors. What fails returns LOADLINE_FAILED and writes a sentence into `error`, which has room for `error_bytes`, the
 * final zero among them; loadline prints it behind the plug-in's name. A C++ exception that leaves a function counts as
 * such a failure, with what() as its sentence.
 */
#ifndef LOADLINE_PLUGIN_H
#define LOADLINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. A plug-in that was compiled with another one is refused. */
#define LOADLINE_PLUGIN_VERSION 1

#define LOADLINE_MOST_DIMENSIONS 8

/* What a function came to. */
/* NOLINTBEGIN(readability-identifier-naming): names of C */
enum {
  LOADLINE_OK = 0,
  LOADLINE_EPOCH_END = 1, /* of next(): no batch; the epoch is over, and the next call begins another one */
  LOADLINE_STOPPED = 2,   /* of next(), after stop(): no batch, and there will be none */
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
/* NOLINTEND(readability-identifier-naming) */

typedef struct loadline_option {
  const char* key;
  const char* value;
} loadline_option;

/* What loadline requests. A plug-in may follow it or not, and describes what it delivers with each batch. Lives until
 * close(). */
typedef struct loadline_request {
  const char* data;               /* path of the dataset, as it was named */
  const char* split;              /* "train" or "test" */
  size_t samples;                 /* in the dataset, over all ranks */
  size_t batch_size;              /* samples */
  size_t workers;                 /* 0 where the plug-in has none */
  size_t prefetch;                /* batches to be ready beyond those in the workers' hands; 0 without workers */
  size_t held;                    /* batches that are not released yet when next() is called, at the most */
  const char* order;              /* "shuffled", "sequential" or "page-shuffled" */
  uint64_t seed;                  /* of the order, and of augmentation */
  uint64_t epoch;                 /* that comes first; epochs follow each other without end */
  size_t rank;                    /* which share of each epoch is wanted, from 0 */
  size_t ranks;                   /* how many shares there are, at least 1 */
  int drop_last;                  /* not 0: leave out a short last batch */
  int32_t dtype;                  /* LOADLINE_U8, LOADLINE_F32 or LOADLINE_BF16; of tokens LOADLINE_I32 */
  const char* layout;             /* "nchw" or "nhwc" */
  const loadline_option* options; /* those behind the colon of --loader, in their order */
  size_t option_count;
} loadline_request;

/* A batch, in memory of the plug-in. It stays as it is until release(). */
typedef struct loadline_batch {
  const void* data;   /* of all samples, one behind the other, without gaps */
  int64_t count;      /* samples, 1 to batch_size; fewer than batch_size in the last batch of an epoch alone */
  int32_t dtype;      /* LOADLINE_U8, ...: the same in all batches */
  int32_t dimensions; /* of one sample: how many entries of `shape` count, 0 to 8 */
  int64_t shape[LOADLINE_MOST_DIMENSIONS]; /* of one sample: the same in all batches */
  const int32_t* labels;                   /* one a sample, or NULL */
  const uint32_t* indices;                 /* which sample of the dataset each one is, from 0, or NULL */
  void* own;                               /* the plug-in's, for release() */
} loadline_batch;

/* What open() makes: the plug-in defines it. */
typedef struct loadline_loader loadline_loader;

typedef struct loadline_plugin_table {
  uint32_t version;           /* LOADLINE_PLUGIN_VERSION */
  int32_t has_workers;        /* not 0: --workers and --prefetch mean something to it */
  const char* name;           /* "mine" */
  const char* plugin_version; /* of the plug-in itself, for the result: "1.2" */

  /* Makes a loader, whose threads may begin at once. */
  int32_t (*open)(const loadline_request* request, loadline_loader** loader, char* error, size_t error_bytes);
  /* Waits for the next batch and writes it to `batch`, which is all zero. Called until it fails or stops. */
  int32_t (*next)(loadline_loader* loader, loadline_batch* batch, char* error, size_t error_bytes);
  /* Takes the memory of a batch back: once for each batch that next() returned, before close(). May be NULL. */
  void (*release)(loadline_loader* loader, const loadline_batch* batch);
  /* Wakes a next() that waits, which returns LOADLINE_STOPPED; returns at once. May be NULL: next() never waits long.
   */
  void (*stop)(loadline_loader* loader);
  /* Ends the loader's threads and frees it, after its last next(). */
  void (*close)(loadline_loader* loader);
} loadline_plugin_table;

#if defined(__GNUC__)
#define LOADLINE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define LOADLINE_PLUGIN_EXPORT
#endif

/* The one function that a plug-in exports. What it returns lives as long as the program. */
LOADLINE_PLUGIN_EXPORT const loadline_plugin_table* loadline_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
