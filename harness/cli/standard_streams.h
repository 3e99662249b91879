// The three standard streams, made safe before anything is opened or written.
#pragma once

namespace parity::cli {

/// A standard stream that came closed would be the next file to be opened, and text meant for a
/// terminal would go into it: each of these gets a place of its own, where reading finds nothing,
/// standard output fails when it is written, and messages are lost. A reader that goes away, or a
/// file that grows past `ulimit -f`, is then a write that fails, with a message, and not a signal
/// that ends the program before its files are written.
void secure_standard_streams();

}  // namespace parity::cli
