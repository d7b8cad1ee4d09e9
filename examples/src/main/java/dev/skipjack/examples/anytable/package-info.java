/** Claims rows in the application's own tables: seats, addresses, vouchers and imported lines. */
@NullMarked
package dev.skipjack.examples.anytable;

import org.jspecify.annotations.NullMarked;
