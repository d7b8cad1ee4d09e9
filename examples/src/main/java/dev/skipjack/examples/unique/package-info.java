/** Many events about one thing make one job, and none is forgotten. */
@NullMarked
package dev.skipjack.examples.unique;

import org.jspecify.annotations.NullMarked;
