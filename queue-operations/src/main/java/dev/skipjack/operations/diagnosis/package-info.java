/**
 * Explains the states of jobs and finds problems of the queue. {@link
 * dev.skipjack.operations.diagnosis.JobExplainer} finds the reason why a job is not running. {@link
 * dev.skipjack.operations.diagnosis.JooqDoctor} runs the checks of the queue, its database and its
 * workers.
 *
 * <p>The statements read the facts, from which Java code derives sentences, evidence and a fix.
 * Every statement can run on a standby and locks no row. Those on jobs read a limited number of
 * rows.
 *
 * <p>The package is public only so that the store can use it. It is not part of the API.
 */
@NullMarked
package dev.skipjack.operations.diagnosis;

import org.jspecify.annotations.NullMarked;
