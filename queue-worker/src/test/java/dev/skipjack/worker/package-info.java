/** Tests the worker: its parts with an in-memory store, the whole worker with PostgreSQL. */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
