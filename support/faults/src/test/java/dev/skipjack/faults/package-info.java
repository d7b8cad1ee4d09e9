@NullMarked
package dev.skipjack.faults;

import org.jspecify.annotations.NullMarked;
