/** The program of the README: a job that is enqueued and handled. */
@NullMarked
package dev.skipjack.examples.first;

import org.jspecify.annotations.NullMarked;
