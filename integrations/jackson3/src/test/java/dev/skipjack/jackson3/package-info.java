@NullMarked
package dev.skipjack.jackson3;

import org.jspecify.annotations.NullMarked;
