package dev.skipjack.jackson3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Tests that the check follows the deserializers of Jackson 3. {@code ReadablePayloadTest} of the
 * store has more classes, for the same rules.
 */
@NullUnmarked // the payload classes are what applications without checkers write
@SuppressWarnings({"ArrayRecordComponent", "ClassCanBeStatic", "UnusedVariable", "UnusedMethod"})
class Jackson3ReadabilityTest {

  private final PayloadCodec codec = new Jackson3Codec();

  // ---- refused ----

  interface Shape {
    int size();
  }

  record Circle(@JsonProperty int size) implements Shape {}

  sealed interface Sealed permits Sealed.One {
    record One(int id) implements Sealed {}
  }

  abstract static class Base {
    public int id;
  }

  record InField(int id, Shape shape) {}

  record InAbstractField(Base base) {}

  record InList(List<Shape> shapes) {}

  record InMap(Map<String, Shape> shapes) {}

  record InArray(Shape[] shapes) {}

  record Nested(int id, Inner inner) {
    record Inner(List<InField> fields) {}
  }

  /** Has getters and a constructor with parameters, like a compiled Kotlin data class. */
  public static class TwoParameters {
    private final int id;
    private final String name;

    public TwoParameters(int id, String name) {
      this.id = id;
      this.name = name;
    }

    public int getId() {
      return id;
    }

    public String getName() {
      return name;
    }
  }

  class InnerClass {
    public int id;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Shape.class,
        Sealed.class,
        Base.class,
        InField.class,
        InAbstractField.class,
        InList.class,
        InMap.class,
        InArray.class,
        Nested.class,
        TwoParameters.class,
        InnerClass.class,
        Runnable.class
      })
  void classThatCanNeverBeReadIsRefused(Class<?> payloadClass) {
    assertThatThrownBy(() -> codec.requireReadable(payloadClass))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith(
            "Payload class %s cannot be read from JSON, at ".formatted(payloadClass.getName()));
  }

  @Test
  void refusalNamesThePropertyAndTheFix() {
    assertThatThrownBy(() -> codec.requireReadable(Nested.class))
        .hasMessageContaining("at '/inner/fields/*/shape': " + Shape.class.getName())
        .hasMessageContaining("is an interface")
        .hasMessageContaining("@JsonTypeInfo");
    assertThatThrownBy(() -> codec.requireReadable(InAbstractField.class))
        .hasMessageContaining("at '/base'")
        .hasMessageContaining("is abstract");
    assertThatThrownBy(() -> codec.requireReadable(TwoParameters.class))
        .hasMessageContaining("at the top level: " + TwoParameters.class.getName())
        .hasMessageContaining("no constructor that can be called")
        .hasMessageContaining("jackson-module-kotlin");
  }

  // ---- accepted ----

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(value = Dog.class, name = "dog"))
  interface Animal {}

  record Dog(int id) implements Animal {}

  record Typed(
      Animal animal,
      List<Animal> animals,
      Map<String, Animal> byName,
      Animal[] array,
      List<List<Animal>> lists,
      @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Shape shape,
      @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) List<Shape> shapes) {}

  public static class WithCreator {
    private final int id;

    private WithCreator(int id) {
      this.id = id;
    }

    @JsonCreator
    static WithCreator of(@JsonProperty("id") int id) {
      return new WithCreator(id);
    }

    public int getId() {
      return id;
    }
  }

  /** Written with a property that cannot be read separately, but read as a whole. */
  public static class Delegating {
    private final Map<String, Object> all;
    private Shape shape = new Circle(1);

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public Delegating(Map<String, Object> all) {
      this.all = all;
    }

    public Object getName() {
      return all.get("name");
    }

    public Shape getShape() {
      return shape;
    }
  }

  /** Written as a string, and read with the constructor that takes a string. */
  public static class Code {
    private final String text;

    public Code(String text) {
      this.text = text;
    }

    @JsonValue
    public String text() {
      return text;
    }
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

  record Cyclic(int id, List<Cyclic> children, Map<String, Cyclic> byName) {}

  record ReadOnly(int id, @JsonProperty(access = JsonProperty.Access.READ_ONLY) Shape shape) {}

  @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
  public static class Identified {
    public int id;
    public Identified next;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Animal.class,
        Typed.class,
        WithCreator.class,
        Delegating.class,
        Code.class,
        HoldsCode.class,
        ReadOnItsOwn.class,
        Built.class,
        Cyclic.class,
        ReadOnly.class,
        Identified.class,
        Object.class,
        String.class,
        Instant.class,
        JsonNode.class,
        Number.class
      })
  void classThatMayBeReadableIsAccepted(Class<?> payloadClass) {
    assertThatCode(() -> codec.requireReadable(payloadClass)).doesNotThrowAnyException();
  }

  // ---- what decoding says ----

  record Item(long id, LocalDate day) {}

  record Order(
      List<Item> items, Map<String, Item> byName, AtomicReference<Shape> shape, Checked checked) {}

  record Checked(int number) {
    Checked {
      if (number < 0) {
        throw new IllegalArgumentException("a number is not negative");
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Cat.class, name = "cat"),
    @JsonSubTypes.Type(value = Dog.class, name = "dog")
  })
  interface Pet {}

  public static class Cat extends TwoParameters implements Pet {
    public Cat(int id, String name) {
      super(id, name);
    }
  }

  private PayloadException refusal(String json, Class<?> payloadClass) {
    return catchThrowableOfType(PayloadException.class, () -> codec.decode(json, payloadClass));
  }

  @Test
  void misfitIsLocatedWithoutTheKeysAndValuesOfThePayload() {
    PayloadException inList = refusal("{\"items\":[{},{\"id\":\"secret\"}]}", Order.class);
    assertThat(inList).hasMessageContaining("at '/items/1/id' (InvalidFormatException for long)");
    assertThat(inList.isPermanent()).isFalse();

    PayloadException inMap = refusal("{\"byName\":{\"secret\":{\"day\":\"secret\"}}}", Order.class);
    assertThat(inMap).hasMessageContaining("at '/byName/*/day'");

    PayloadException below = refusal("{\"secret\":[1}", Order.class);
    assertThat(below).hasMessageContaining("at the top level (StreamReadException)");

    for (PayloadException refused : List.of(inList, inMap, below)) {
      assertThat(textOf(refused)).doesNotContain("secret");
    }
  }

  @Test
  void whatAConstructorThrewIsTheCause() {
    PayloadException refused = refusal("{\"checked\":{\"number\":-1}}", Order.class);

    assertThat(refused).hasMessageContaining("at '/checked'");
    assertThat(refused.getCause()).hasMessage("a number is not negative");
    assertThat(refused.isPermanent()).isFalse();
  }

  @Test
  void faultOfTheClassIsPermanentAndSaysWhatIsMissing() {
    PayloadException withoutCreator =
        refusal("{\"@type\":\"cat\",\"id\":1,\"name\":\"secret\"}", Pet.class);
    assertThat(withoutCreator.isPermanent()).isTrue();
    assertThat(withoutCreator)
        .hasMessageContaining(Cat.class.getName())
        .hasMessageContaining("no Creators, like default constructor, exist");

    PayloadException abstractOne = refusal("{\"shape\":{\"size\":\"secret\"}}", Order.class);
    assertThat(abstractOne.isPermanent()).isTrue();
    assertThat(abstractOne)
        .hasMessageContaining("at '/shape'")
        .hasMessageContaining("abstract types either need to be mapped to concrete types");

    PayloadException known = refusal("{\"id\":1,\"shape\":{\"size\":3}}", InField.class);
    assertThat(known.isPermanent()).isTrue();
    assertThat(known).hasMessageContaining("at '/shape': ").hasMessageContaining("@JsonTypeInfo");

    // Jackson's own words would end with the value.
    PayloadException fromText = refusal("[\"cat\",\"secret\"]", TwoParametersInList.class);
    PayloadException fromNumber = refusal("{\"pet\":471147114711}", HoldsText.class);
    for (PayloadException refused :
        List.of(withoutCreator, abstractOne, known, fromText, fromNumber)) {
      assertThat(textOf(refused)).doesNotContain("secret").doesNotContain("471147114711");
    }
  }

  /** Unknown to the check, because its own deserializer asks for the class that cannot be read. */
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

  record HoldsText(AtomicReference<TwoParameters> pet) {}

  private static String textOf(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
