@NullMarked
package dev.skipjack.spring.test;

import org.jspecify.annotations.NullMarked;
