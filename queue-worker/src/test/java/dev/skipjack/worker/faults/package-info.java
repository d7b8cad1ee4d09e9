/** Tests the worker when processes, servers and networks fail, using only its public API. */
@NullMarked
package dev.skipjack.worker.faults;

import org.jspecify.annotations.NullMarked;
