@NullMarked
package dev.skipjack.examples.spring;

import org.jspecify.annotations.NullMarked;
