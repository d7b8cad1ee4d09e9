@NullMarked
package dev.skipjack.testkit.faults;

import org.jspecify.annotations.NullMarked;
