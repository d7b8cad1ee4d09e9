/**
 * The benchmark that measures Skipjack beside the other job queues of the JVM: the same load for
 * each, in turns, on one server, through public APIs and with the settings that the other projects'
 * documentation recommends.
 *
 * <p>A module of its own, which no other depends on: the libraries that it measures must not get
 * into anything that is shipped. It adds a benchmark to the command line as a service; the launcher
 * runs the command line with this module on the class path.
 */
@NullMarked
package dev.skipjack.rivals;

import org.jspecify.annotations.NullMarked;
