/**
 * Traces of jobs, and context that follows a job to its handler.
 *
 * <p>{@link dev.skipjack.observation.JobObservations} reports enqueues and attempts as Micrometer
 * observations, from which Micrometer derives metrics and traces. {@link
 * dev.skipjack.observation.OpenTelemetryTracing} reports them as spans of OpenTelemetry, without
 * Micrometer. {@link dev.skipjack.observation.CarriedContext} carries other context, such as
 * entries of the logging context, by means of {@link dev.skipjack.observation.ContextCarrier}s.
 *
 * <p>Each of these is an interceptor for enqueues and for attempts, and keeps what it needs in the
 * headers of the job. Their libraries are optional dependencies: add the one that you use.
 */
@NullMarked
package dev.skipjack.observation;

import org.jspecify.annotations.NullMarked;
