/** Schedules: declared in code, changed at run time, and firing after an outage. */
@NullMarked
package dev.skipjack.examples.schedules;

import org.jspecify.annotations.NullMarked;
