/** Makes the bundle of a release, which is uploaded to Maven Central. */
@NullMarked
package dev.skipjack.release;

import org.jspecify.annotations.NullMarked;
