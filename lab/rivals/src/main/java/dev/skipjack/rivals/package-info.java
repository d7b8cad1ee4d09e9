/**
 * The benchmark that compares Skipjack with other job queues. They take turns to run the same load
 * on one server, through their public APIs and with the settings that their documentation
 * recommends.
 *
 * <p>No other module depends on this one, because the libraries that it measures must not get into
 * anything that is shipped. The module provides its benchmark as a service; the launcher runs the
 * command line with this module on the class path.
 */
@NullMarked
package dev.skipjack.rivals;

import org.jspecify.annotations.NullMarked;
