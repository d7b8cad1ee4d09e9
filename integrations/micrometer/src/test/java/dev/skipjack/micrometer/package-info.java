@NullMarked
package dev.skipjack.micrometer;

import org.jspecify.annotations.NullMarked;
