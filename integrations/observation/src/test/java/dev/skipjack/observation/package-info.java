@NullMarked
package dev.skipjack.observation;

import org.jspecify.annotations.NullMarked;
