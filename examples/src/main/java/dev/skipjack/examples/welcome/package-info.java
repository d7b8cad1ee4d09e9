/** A job that is enqueued with the rows it belongs to, and retried when its handler fails. */
@NullMarked
package dev.skipjack.examples.welcome;

import org.jspecify.annotations.NullMarked;
