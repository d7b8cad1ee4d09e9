/**
 * Claims of rows of the application's own tables: seats, addresses, vouchers and lines of an
 * import.
 */
@NullMarked
package dev.skipjack.examples.anytable;

import org.jspecify.annotations.NullMarked;
