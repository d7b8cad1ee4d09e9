/** The queue in an application that uses only JDBC for its database. */
@NullMarked
package dev.skipjack.examples.plainjdbc;

import org.jspecify.annotations.NullMarked;
