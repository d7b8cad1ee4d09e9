package dev.skipjack.jackson3;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.testkit.internal.JacksonCodecContract;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

@NullUnmarked // the payload classes are like those of applications without checkers
@SuppressWarnings({"UnusedVariable", "UnusedMethod"})
class Jackson3CodecTest extends JacksonCodecContract {

  @Override
  protected PayloadCodec codec() {
    return new Jackson3Codec();
  }

  @Override
  protected List<Class<?>> classesWithAnnotationsOfTheMapper() {
    return List.of(HoldsCode.class, ReadOnItsOwn.class, Built.class, JsonNode.class);
  }

  @Override
  protected Class<?> classWithReaderOfTwoParameters() {
    return TwoParametersInList.class;
  }

  record HoldsCode(
      Code code, @JsonSerialize(using = ToStringSerializer.class) TwoParameters part) {}

  static final class ShapeReader extends ValueDeserializer<Shape> {
    @Override
    public Shape deserialize(JsonParser parser, DeserializationContext context) {
      return new Circle(parser.readValueAsTree().get("size") == null ? 0 : 1);
    }
  }

  record ReadOnItsOwn(
      @JsonDeserialize(using = ShapeReader.class) Shape shape,
      @JsonDeserialize(contentUsing = ShapeReader.class) List<Shape> shapes,
      @JsonDeserialize(as = Circle.class) Shape circle,
      @JsonDeserialize(contentAs = Circle.class) List<Shape> circles) {}

  @JsonDeserialize(builder = Built.Builder.class)
  public static final class Built {
    public final int id;

    private Built(int id) {
      this.id = id;
    }

    @JsonPOJOBuilder(withPrefix = "")
    public static final class Builder {
      private int id;

      public Builder id(int id) {
        this.id = id;
        return this;
      }

      public Built build() {
        return new Built(id);
      }
    }
  }

  /**
   * The codec's check accepts this class, because it cannot see what the class's own deserializer
   * reads: a class that Jackson cannot read.
   */
  @JsonDeserialize(using = LateReader.class)
  record TwoParametersInList(List<TwoParameters> all) {}

  static final class LateReader extends ValueDeserializer<TwoParametersInList> {
    @Override
    public TwoParametersInList deserialize(JsonParser parser, DeserializationContext context) {
      parser.nextToken();
      parser.nextToken();
      return new TwoParametersInList(List.of(context.readValue(parser, TwoParameters.class)));
    }
  }
}
