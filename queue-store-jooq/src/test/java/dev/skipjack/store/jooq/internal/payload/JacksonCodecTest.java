package dev.skipjack.store.jooq.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonPOJOBuilder;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.testkit.internal.JacksonCodecContract;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked // the payload classes are written as in applications without null checkers
@SuppressWarnings({"UnusedVariable", "UnusedMethod"})
class JacksonCodecTest extends JacksonCodecContract {

  @Override
  protected PayloadCodec codec() {
    return new JacksonCodec();
  }

  @Override
  protected List<Class<?>> classesWithAnnotationsOfTheMapper() {
    return List.of(HoldsCode.class, ReadOnItsOwn.class, Built.class, JsonNode.class);
  }

  @Override
  protected Class<?> classWithReaderOfTwoParameters() {
    return TwoParametersInList.class;
  }

  record HoldsCode(Code code, @JsonSerialize(using = ToStringSerializer.class) OneParameter part) {}

  static final class ShapeReader extends JsonDeserializer<Shape> {
    @Override
    public Shape deserialize(JsonParser parser, DeserializationContext context) throws IOException {
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

  /** The check accepts this class, because its custom deserializer may read what Jackson cannot. */
  @JsonDeserialize(using = LateReader.class)
  record TwoParametersInList(List<TwoParameters> all) {}

  static final class LateReader extends JsonDeserializer<TwoParametersInList> {
    @Override
    public TwoParametersInList deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      parser.nextToken();
      parser.nextToken();
      return new TwoParametersInList(List.of(context.readValue(parser, TwoParameters.class)));
    }
  }

  record HoldsShape(Shape shape) {}

  record HoldsBase(Base base) {}

  record ListsShapes(List<Shape> shapes) {}

  record MapsShapes(Map<String, Shape> shapes) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface ShapeMixin {}

  abstract static class TwoParametersMixin {
    @JsonCreator
    TwoParametersMixin(@JsonProperty("id") int id, @JsonProperty("name") String name) {}
  }

  @Test
  void classThatModulesAndMixinsMakeReadableIsAccepted() {
    JacksonReadability mixed =
        new JacksonReadability(
            JsonMapper.builder()
                .addMixIn(Shape.class, ShapeMixin.class)
                .addMixIn(TwoParameters.class, TwoParametersMixin.class)
                .build());
    assertThat(mixed.problem(HoldsShape.class)).isNull();
    assertThat(mixed.problem(TwoParameters.class)).isNull();
    assertThat(mixed.problem(HoldsBase.class)).isNotNull();

    JacksonReadability mapped =
        new JacksonReadability(
            JsonMapper.builder()
                .addModule(
                    new SimpleModule()
                        .addAbstractTypeMapping(Shape.class, Circle.class)
                        .addDeserializer(Base.class, new BaseReader()))
                .build());
    assertThat(mapped.problem(ListsShapes.class)).isNull();
    assertThat(mapped.problem(HoldsBase.class)).isNull();

    JacksonReadability typing =
        new JacksonReadability(
            JsonMapper.builder()
                .activateDefaultTyping(
                    com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator.builder()
                        .allowIfSubType(Shape.class)
                        .build())
                .build());
    assertThat(typing.problem(HoldsShape.class)).isNull();
    assertThat(typing.problem(MapsShapes.class)).isNull();
    assertThat(typing.problem(Shape.class)).isNull();
  }

  static final class BaseReader extends JsonDeserializer<Base> {
    @Override
    public Base deserialize(JsonParser parser, DeserializationContext context) {
      throw new UnsupportedOperationException();
    }
  }
}
