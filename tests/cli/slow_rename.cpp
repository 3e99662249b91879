// Loaded in front of the C library: leaves time for a signal between a written file and its name.
#include <cstdio>

#include <unistd.h>

extern "C" int rename(const char* /*from*/, const char* /*to*/) {
  if (std::FILE* told = std::fopen("renaming", "w")) {
    std::fputs("now\n", told);
    std::fclose(told);
  }
  sleep(60);
  return -1;
}
