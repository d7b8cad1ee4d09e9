/** A process that runs until it is stopped, with a separate connection pool for the worker. */
@NullMarked
package dev.skipjack.examples.service;

import org.jspecify.annotations.NullMarked;
