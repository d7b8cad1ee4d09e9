@NullMarked
package dev.skipjack.release;

import org.jspecify.annotations.NullMarked;
