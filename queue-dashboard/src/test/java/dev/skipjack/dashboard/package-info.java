/** Tests of the dashboard. */
@NullMarked
package dev.skipjack.dashboard;

import org.jspecify.annotations.NullMarked;
