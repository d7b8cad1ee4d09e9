/** Old and new versions of an application running side by side. */
@NullMarked
package dev.skipjack.examples.upgrades;

import org.jspecify.annotations.NullMarked;
