/* What the supervisor starts this program for, beside the shim: see `launch.c`. */
#define BECOMES 4  /* words of `become` */
#define LAUNCHED 8 /* words of `launch` before those of bubblewrap, at least */

void say(const char *text);
int become(char **words);
int launch(char **words);
