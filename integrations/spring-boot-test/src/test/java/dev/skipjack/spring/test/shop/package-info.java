/** An application and its tests. */
@NullMarked
package dev.skipjack.spring.test.shop;

import org.jspecify.annotations.NullMarked;
