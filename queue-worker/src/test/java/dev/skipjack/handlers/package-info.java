@NullMarked
package dev.skipjack.handlers;

import org.jspecify.annotations.NullMarked;
