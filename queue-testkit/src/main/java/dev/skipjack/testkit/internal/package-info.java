/** Tests that only the modules of this project extend. The classes may change at any time. */
@NullMarked
package dev.skipjack.testkit.internal;

import org.jspecify.annotations.NullMarked;
