@NullMarked
package dev.skipjack.rivals;

import org.jspecify.annotations.NullMarked;
