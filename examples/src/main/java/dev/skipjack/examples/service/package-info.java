/** A process that works until it is told to stop, with a pool of its own for the worker. */
@NullMarked
package dev.skipjack.examples.service;

import org.jspecify.annotations.NullMarked;
