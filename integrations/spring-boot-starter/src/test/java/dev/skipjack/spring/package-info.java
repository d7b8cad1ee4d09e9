@NullMarked
package dev.skipjack.spring;

import org.jspecify.annotations.NullMarked;
