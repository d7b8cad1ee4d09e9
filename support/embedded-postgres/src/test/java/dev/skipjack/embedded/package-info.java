@NullMarked
package dev.skipjack.embedded;

import org.jspecify.annotations.NullMarked;
