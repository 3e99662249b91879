// The program: hands its arguments to the commands and returns their exit code.
#include "cli/app.h"

int main(int argc, char** argv) { return parity::cli::run_app(argc, argv); }
