package dev.skipjack.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the key values of the observation of an attempt, after OpenTelemetry's conventions
 * for messaging. Override methods to change them. Key values of low cardinality become tags of
 * meters, so they must not contain ids, headers or parts of payloads.
 */
public class ProcessConvention implements ObservationConvention<ProcessContext> {

  /** Creates the convention that is used unless another one is set. */
  public ProcessConvention() {}

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof ProcessContext;
  }

  @Override
  public String getName() {
    return "skipjack.process";
  }

  @Override
  public String getContextualName(ProcessContext context) {
    return Attributes.PROCESS + " " + context.job().queue();
  }

  @Override
  public KeyValues getLowCardinalityKeyValues(ProcessContext context) {
    return KeyValues.of(
        KeyValue.of(Attributes.SYSTEM, Attributes.SKIPJACK),
        KeyValue.of(Attributes.DESTINATION, context.job().queue()),
        KeyValue.of(Attributes.OPERATION, Attributes.PROCESS),
        KeyValue.of(Attributes.OPERATION_TYPE, Attributes.PROCESS),
        KeyValue.of(Attributes.KIND, context.job().kind()),
        KeyValue.of(Attributes.OUTCOME, context.outcome().orElse(KeyValue.NONE_VALUE)));
  }

  @Override
  public KeyValues getHighCardinalityKeyValues(ProcessContext context) {
    return KeyValues.of(
        KeyValue.of(Attributes.MESSAGE_ID, context.job().jobId().toString()),
        KeyValue.of(Attributes.ATTEMPT, Integer.toString(context.job().attempt())));
  }
}
