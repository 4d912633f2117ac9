"""The language of a text: many languages, texts without one, and hostile ones."""

# letters of other scripts look like Latin ones by their nature
# ruff: noqa: RUF001

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.language import LOOKED_AT, NAMES, UNKNOWN, language_name, language_of

SENTENCES = {
    "en": (
        "Hello, how can I help you today?",
        "Your order was shipped yesterday.",
        "Please reset your password by clicking the link below.",
        "thank you",
        "The quick brown fox jumps over the lazy dog.",
    ),
    "de": (
        "Guten Tag, wie kann ich Ihnen helfen?",
        "Bitte setzen Sie Ihr Passwort zurück.",
        "Die Lieferung dauert drei Tage.",
        "vielen Dank",
        "Ich möchte mein Konto löschen",
    ),
    "fr": (
        "Bonjour, comment puis-je vous aider ?",
        "Votre commande a été expédiée hier.",
        "Je voudrais annuler ma réservation.",
        "Merci beaucoup",
        "Le mot de passe est incorrect",
    ),
    "es": (
        "Hola, ¿en qué puedo ayudarle?",
        "Su pedido fue enviado ayer.",
        "Quiero cancelar mi reserva.",
        "muchas gracias por su ayuda",
        "La contraseña no es correcta",
    ),
    "pt": (
        "Olá, como posso ajudar você?",
        "O seu pedido foi enviado ontem.",
        "Quero cancelar a minha reserva.",
        "Muito obrigado pela ajuda",
        "A senha não está correta",
    ),
    "it": (
        "Buongiorno, come posso aiutarla?",
        "Il suo ordine è stato spedito ieri.",
        "Vorrei annullare la mia prenotazione.",
        "Grazie mille per il tuo aiuto",
        "La password non è corretta",
    ),
    "nl": (
        "Goedendag, hoe kan ik u helpen?",
        "Uw bestelling is gisteren verzonden.",
        "Ik wil mijn reservering annuleren.",
        "Hartelijk dank voor de hulp",
        "Het wachtwoord is niet juist",
    ),
    "sv": (
        "Hej, hur kan jag hjälpa dig?",
        "Din beställning skickades igår och är på väg.",
        "Jag vill avboka min bokning.",
        "Tack så mycket för hjälpen",
        "Lösenordet är inte rätt",
    ),
    "da": (
        "Hej, hvordan kan jeg hjælpe dig?",
        "Din ordre blev sendt i går.",
        "Jeg vil gerne annullere min reservation.",
        "Mange tak for hjælpen af dig",
        "Adgangskoden er ikke rigtig, og du skal nulstille den",
    ),
    "no": (
        "Hei, hvordan kan jeg hjelpe deg?",
        "Bestillingen din ble sendt i går.",
        "Jeg vil avbestille reservasjonen min.",
        "Tusen takk for hjelpen",
        "Passordet er ikke riktig, og du må nullstille det nå",
    ),
    "fi": (
        "Hei, miten voin auttaa sinua?",
        "Tilauksesi lähetettiin eilen ja se on matkalla.",
        "Haluan peruuttaa varaukseni.",
        "Kiitos paljon avusta",
        "Salasana ei ole oikein",
    ),
    "pl": (
        "Dzień dobry, w czym mogę pomóc?",
        "Państwa zamówienie zostało wysłane wczoraj.",
        "Chcę anulować moją rezerwację.",
        "Dziękuję bardzo za pomoc",
        "Hasło nie jest poprawne",
    ),
    "cs": (
        "Dobrý den, jak vám mohu pomoci?",
        "Vaše objednávka byla odeslána včera.",
        "Chci zrušit svou rezervaci.",
        "Děkuji mnohokrát za pomoc",
        "Heslo není správné, protože je příliš krátké",
    ),
    "sk": (
        "Dobrý deň, ako vám môžem pomôcť?",
        "Vaša objednávka bola odoslaná včera.",
        "Chcem zrušiť svoju rezerváciu.",
        "Ďakujem veľmi pekne za pomoc",
        "Heslo nie je správne, pretože je veľmi krátke",
    ),
    "hu": (
        "Jó napot, miben segíthetek?",
        "A rendelését tegnap küldtük el.",
        "Szeretném lemondani a foglalásomat.",
        "Köszönöm szépen a segítséget",
        "A jelszó nem megfelelő",
    ),
    "ro": (
        "Bună ziua, cu ce vă pot ajuta?",
        "Comanda dumneavoastră a fost expediată ieri.",
        "Vreau să anulez rezervarea mea.",
        "Mulțumesc foarte mult pentru ajutor",
        "Parola nu este corectă",
    ),
    "tr": (
        "Merhaba, size nasıl yardımcı olabilirim?",
        "Siparişiniz dün gönderildi ve yolda.",
        "Rezervasyonumu iptal etmek istiyorum.",
        "Yardımınız için çok teşekkürler",
        "Şifre doğru değil",
    ),
    "hr": (
        "Dobar dan, kako vam mogu pomoći?",
        "Vaša narudžba je poslana jučer.",
        "Želim otkazati svoju rezervaciju.",
        "Lozinka nije ispravna, molim pokušajte ponovno",
    ),
    "sl": (
        "Dober dan, kako vam lahko pomagam?",
        "Vaše naročilo je bilo poslano včeraj.",
        "Geslo ni pravilno, prosim poskusite znova, ker je prekratko",
    ),
    "et": (
        "Tere, kuidas ma saan teid aidata?",
        "Teie tellimus saadeti eile välja.",
    ),
    "lv": (
        "Labdien, kā es varu jums palīdzēt?",
        "Jūsu pasūtījums tika nosūtīts vakar.",
    ),
    "lt": (
        "Laba diena, kaip galiu jums padėti?",
        "Jūsų užsakymas buvo išsiųstas vakar.",
    ),
    "id": (
        "Halo, apa yang bisa saya bantu?",
        "Pesanan Anda sudah dikirim kemarin.",
    ),
    "vi": ("Xin chào, tôi có thể giúp gì cho bạn?",),
    "ca": (
        "Bon dia, com us puc ajudar amb aquesta comanda?",
        "La seva comanda es va enviar ahir i és molt a prop.",
    ),
    "ru": (
        "Здравствуйте, чем я могу вам помочь?",
        "Ваш заказ был отправлен вчера.",
    ),
    "uk": (
        "Добрий день, чим я можу вам допомогти?",
        "Ваше замовлення було відправлено вчора, дякую.",
    ),
    "bg": (
        "Добър ден, с какво мога да ви помогна?",
        "Поръчката ви е изпратена вчера.",
    ),
    "sr": (
        "Добар дан, како могу да вам помогнем?",
        "Ваша поруџбина је послата јуче.",
    ),
    "el": ("Καλημέρα, πώς μπορώ να βοηθήσω;",),
    "he": ("שלום, איך אפשר לעזור?",),
    "ar": ("مرحبا، كيف يمكنني مساعدتك؟",),
    "fa": ("سلام، چگونه می\u200cتوانم به شما کمک کنم؟",),
    "ur": ("السلام علیکم، میں آپ کی کیسے مدد کر سکتا ہوں؟",),
    "hi": ("नमस्ते, मैं आपकी कैसे मदद कर सकता हूँ?",),
    "ja": (
        "こんにちは、どのようにお手伝いできますか?",
        "注文は昨日発送されました。",
    ),
    "zh": ("您好,请问有什么可以帮您?",),
    "ko": ("안녕하세요, 무엇을 도와드릴까요?",),
    "th": ("สวัสดีค่ะ มีอะไรให้ช่วยไหมคะ",),
    "ka": ("გამარჯობა",),
    "hy": ("Բարև ձեզ",),
}
NOTHING_TO_TELL = (
    "",
    "   ",
    "123 456",
    "foo_bar = baz(qux)",
    "Schwarzenegger",
    "!!! ???",
    '{"x": 1}',
    "SELECT * FROM t",
    "https://example.org/the/and/of/is/it",
    "`the of and is it` @",
    "\u202e\u200f\x00",
    "\U0001f600 \U0001f600",
)


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in SENTENCES.items() for text in texts]
)
def test_sentences_of_service_conversations_are_told_apart(code: str, text: str) -> None:
    assert language_of(text) == code
    assert language_of(text.upper()) == code or not text.isascii()


@pytest.mark.parametrize("text", NOTHING_TO_TELL)
def test_texts_that_give_no_language_away_stay_unknown(text: str) -> None:
    assert language_of(text) == UNKNOWN


def test_only_the_beginning_counts() -> None:
    german = "Die Lieferung dauert drei Tage und ist nicht teuer. "
    english = "The delivery takes three days and is not expensive at all. "
    start = german * (LOOKED_AT // len(german) + 1)
    assert language_of(start + english * 100) == "de"
    assert language_of(start + "x" * 1_000_000) == "de"


def test_code_inside_an_answer_does_not_hide_its_language() -> None:
    text = "Bitte führen Sie das aus: ```for the of and in is it: the``` und dann ist es gut."
    assert language_of(text) == "de"


def test_a_few_foreign_names_do_not_change_the_language() -> None:
    assert language_of("Please ask Zoë Müller or José Nuñez about it, they have the key.") == "en"


def test_mixed_scripts_go_by_most_of_the_letters() -> None:
    assert language_of("Windows を再起動してください。それから設定を開きます。") == "ja"
    assert language_of("The word 你好 is Chinese and it means hello.") == "en"


def test_languages_have_names_to_show() -> None:
    assert language_name("de") == "German"
    assert language_name("xx") == "xx"
    assert set(SENTENCES) <= set(NAMES)


@given(st.text(max_size=2000))
def test_any_text_has_an_answer(text: str) -> None:
    assert language_of(text) in {*NAMES, UNKNOWN}
