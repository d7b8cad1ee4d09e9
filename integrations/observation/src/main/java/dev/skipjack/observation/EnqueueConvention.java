package dev.skipjack.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the key values of the observation of an enqueue, after OpenTelemetry's conventions
 * for messaging. Override methods to change them. Key values of low cardinality become tags of
 * meters, so they must not contain ids, headers or parts of payloads.
 */
public class EnqueueConvention implements ObservationConvention<EnqueueContext> {

  /** Creates the convention that is used unless another one is set. */
  public EnqueueConvention() {}

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof EnqueueContext;
  }

  @Override
  public String getName() {
    return "skipjack.enqueue";
  }

  @Override
  public String getContextualName(EnqueueContext context) {
    return Attributes.ENQUEUE + " " + Attributes.queue(context.jobs());
  }

  @Override
  public KeyValues getLowCardinalityKeyValues(EnqueueContext context) {
    return KeyValues.of(
        KeyValue.of(Attributes.SYSTEM, Attributes.SKIPJACK),
        KeyValue.of(Attributes.DESTINATION, Attributes.queue(context.jobs())),
        KeyValue.of(Attributes.OPERATION, Attributes.ENQUEUE),
        KeyValue.of(Attributes.OPERATION_TYPE, Attributes.SEND),
        KeyValue.of(Attributes.KIND, Attributes.kind(context.jobs())));
  }

  @Override
  public KeyValues getHighCardinalityKeyValues(EnqueueContext context) {
    int count = context.jobs().size();
    if (count > 1) {
      return KeyValues.of(Attributes.MESSAGE_COUNT, Integer.toString(count));
    }
    String id = Attributes.messageId(context.results());
    return id == null ? KeyValues.empty() : KeyValues.of(Attributes.MESSAGE_ID, id);
  }
}
