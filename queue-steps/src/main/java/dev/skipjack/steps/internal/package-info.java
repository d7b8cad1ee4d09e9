/**
 * The work that every worker does for jobs with durable steps. Public only for the service loader
 * and for {@code dev.skipjack.steps}.
 */
@NullMarked
package dev.skipjack.steps.internal;

import org.jspecify.annotations.NullMarked;
