/**
 * What modules implement to extend {@link dev.skipjack.handlers.JobHandler} methods. Applications
 * do not need it.
 */
@NullMarked
package dev.skipjack.handlers.spi;

import org.jspecify.annotations.NullMarked;
