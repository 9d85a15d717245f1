/* A shared library that is not a plug-in. */
int something_else(void);
int something_else(void) {
  return 1;
}
