@NullMarked
package dev.skipjack.testkit;

import org.jspecify.annotations.NullMarked;
