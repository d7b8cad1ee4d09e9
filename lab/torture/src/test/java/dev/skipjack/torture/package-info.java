@NullMarked
package dev.skipjack.torture;

import org.jspecify.annotations.NullMarked;
