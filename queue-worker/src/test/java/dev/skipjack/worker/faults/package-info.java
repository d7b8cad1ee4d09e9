/** What the worker does when processes, servers and networks fail. Sees its public API only. */
@NullMarked
package dev.skipjack.worker.faults;

import org.jspecify.annotations.NullMarked;
