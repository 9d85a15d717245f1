/* A shared library that is no plug-in. */
int something_else(void);
int something_else(void) {
  return 1;
}
