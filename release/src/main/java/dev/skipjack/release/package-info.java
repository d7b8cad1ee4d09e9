/** The bundle of a release: what Maven Central gets. */
@NullMarked
package dev.skipjack.release;

import org.jspecify.annotations.NullMarked;
