/** The queue in an application that uses JDBC and no other library for its database. */
@NullMarked
package dev.skipjack.examples.plainjdbc;

import org.jspecify.annotations.NullMarked;
