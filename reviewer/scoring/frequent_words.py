"""The words that a language cannot do without, and the letters that few languages have.

Plain knowledge of the languages: articles, pronouns, prepositions, conjunctions and the commonest
verbs, also those of service conversations (please, thank, order).
"""

# Cyrillic letters and a Turkish vowel look like others by their nature
# ruff: noqa: RUF001

from typing import Final

LATIN: Final = {
    "en": "the be to of and a in that have it for not on with he as you do at this but his by "
    "from they we say her she or an will my all would there their what so up out if about "
    "who get which go me when make can like time no just know take into your good some "
    "could them see other than then now only its over also after use how our are is was "
    "were been has had did does please thank thanks hello sorry help need want should "
    "where why i'm it's don't am helped today yesterday order password account we're "
    "you're i'll can't doesn't more any these those being between because very here",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als "
    "auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem "
    "über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei "
    "ich du wir ihr mein dein kann können wenn was ihre ihnen bitte danke vielen hallo "
    "guten tag wo warum gibt möchte muss keine kein hier mich mir uns unsere schon sehr "
    "drei zwei tage lieferung dauert passwort bestellung konto gestern heute beim vom "
    "dieser diese dieses jetzt immer gibt's weil dann gerne leider dank herzlichen",
    "fr": "de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce "
    "il sont avec son elle ou mais comme nous vous je tu on leur aux cette ont été être "
    "fait avoir ces sa ses mon ma mes votre vos notre nos tout tous peut sans même deux "
    "bien très aussi où si bonjour merci plaît s'il j'ai c'est n'est qu'il d'un d'une "
    "l'on puis alors quand comment pourquoi quel quelle était sera faut voudrais beaucoup "
    "commande compte mot passe hier aujourd'hui entre depuis toujours jamais encore ici "
    "cela ça lors ils elles fois",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero "
    "sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay "
    "donde quien desde todo nos durante todos uno les ni contra otros ese eso ante ellos "
    "e esto mí antes algunos qué unos yo otro tiene puede está están fue ser son hola "
    "gracias favor usted cómo dónde necesito quiero tu te mi nuestro hacer ha he si "
    "pedido cuenta contraseña ayuda ayer hoy puedo ayudar buenos días esos estas muchas "
    "muchos mucho ahora entonces después fueron nada cada",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi "
    "ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela "
    "até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão "
    "você tinha foram essa num nem suas meu às minha têm numa pelos elas havia seja qual "
    "será nós olá obrigado obrigada favor posso pode fazer são onde porque vai preciso "
    "pedido conta senha ajuda ontem hoje ajudar bom dia muita muitas muitos agora então "
    "ainda aqui isto estas estes nada cada fez nossa nosso",
    "it": "di che è e la il un a per non in una sono mi si ho lo ma ha le ti i con cosa da come "
    "io questo qui se bene sei del della dei delle al alla nel nella più sua suo anche "
    "perché ci tutto era molto fare quando essere mio chi lei lui gli ed o loro su fatto "
    "stato solo può quello dove dopo senza ancora prima tra sul sulla dal dalla nostro "
    "vostro ciao grazie prego buongiorno vorrei posso questa quale degli siamo hanno "
    "abbiamo ordine conto ieri oggi aiuto aiutare aiutarla buona giorno mille adesso "
    "allora ogni niente nulla questi queste quel sia stata",
    "nl": "de het een en van ik te dat die in je is niet op met zijn voor er als maar om dan "
    "hij aan wat ze we ook mijn nog naar of bij uit kan heb zo wel door over haar hebben "
    "heeft worden werd was waar wordt deze geen meer veel al tot moet u uw dit hier "
    "kunnen wij jij jullie hun onze tegen zou graag bedankt hallo alstublieft dank waarom "
    "hoe wil zal ben bent goed iets niets alles omdat bestelling rekening gisteren "
    "vandaag helpen hulp goedendag dag nu elke altijd nooit onder tussen tijdens "
    "hartelijk",
    "sv": "och i att det som en på är av för med den till inte om ett han men var jag sig från "
    "vi så kan när år säger hon under också efter eller nu sin där vid mot ska skulle "
    "kommer ut får finns vara hade alla andra mycket än här då sedan över bara in blir "
    "upp även man hur din min mig dig ni er vad tack hej snälla vill har du ditt mitt "
    "kunna beställning konto lösenord igår idag hjälp hjälpa snart alltid aldrig något "
    "någon några detta denna dessa mellan inga ingen väg",
    "da": "og i at det som en på er af for med den til ikke om et han men var jeg sig fra vi så "
    "kan når år hun under også efter eller nu sin der ved mod skal skulle kommer ud får "
    "findes være havde alle andre meget end her da siden over kun ind bliver op man "
    "hvordan din min mig dig hvad tak hej har du de blev mellem noget nogle hvor hvis dem "
    "dette jer bestilling adgangskode hjælp hjælpe gerne nogen været blevet altid aldrig "
    "lige rigtig nulstille kunne ville sige denne disse ingen jeres vores annullere "
    "reservation ordre",
    "no": "og i at det som en på er av for med den til ikke om et han men var jeg seg fra vi så "
    "kan når år hun under også etter eller nå sin der ved mot skal skulle kommer ut får "
    "finnes være hadde alle andre mye enn her da siden over bare inn blir opp man hvordan "
    "din min meg deg hva takk hei har du de ble mellom noe noen hvor hvis dem dette vil "
    "må dere vår eg ikkje ein eit frå bestilling passord hjelp hjelpe gjerne vært blitt "
    "alltid aldri riktig kunne ville si veldig denne disse ingen deres våre innen hvorfor "
    "vennligst bestillingen reservasjonen tusen",
    "fi": "ja on ei se että hän oli en ole mutta niin kun kuin joka mitä olen tämä minä ovat "
    "sen nyt hänen jos sinä vain myös tai kaikki voi mukaan sitä ollut jo vielä kanssa "
    "olla tässä siitä minun te me kuten koska mikä missä miten ennen jälkeen sekä eikä "
    "sinun hyvä kiitos hei voitte voin tarvitsen haluan teidän meidän joita jotka mitään "
    "olet olisi onko tilaus tilauksesi salasana eilen tänään auttaa paljon aina koskaan "
    "tämän näin siis tästä näitä matkalla varaus haluaisin emme peruuttaa varaukseni "
    "varauksen minulle sinulle",
    "pl": "i w na z do się nie że to jest o jak za od po co ale tak przez dla już był są oraz "
    "ich jego jej tylko może czy który która które tym także przed było przy być pod ze "
    "jako pan pani ma mam mnie mi ja ty on ona my wy oni gdzie kiedy dlaczego proszę "
    "dziękuję dzień dobry można jeśli bardzo więc bo te ten ta tego tej bez nas państwa "
    "zamówienie konto hasło wczoraj dzisiaj pomóc pomoc zawsze nigdy teraz dlatego został "
    "została zostało będzie mogę chcę",
    "cs": "a se v na je že to s z do o i jako za by pro ale jsem od tak po jsou které který "
    "která když nebo byl bylo být ve podle má si jen také až už již jeho jejich mezi více "
    "při co jak můžete prosím děkuji dobrý den kde proč vám vás mi mě jsme není ještě "
    "může tento tato toto velmi bez před protože aby ani nám chci potřebuji kdy "
    "objednávka objednávky účet heslo včera dnes pomoci pomoc byla vždy nikdy nyní teď "
    "proto bude mohu mnohokrát odeslána svou svůj děkujeme",
    "sk": "a sa v na je že to s z do o i ako za by pre ale som od tak po sú ktoré ktorý ktorá "
    "keď alebo bol bolo byť vo podľa má si len tiež až už jeho ich medzi viac pri čo "
    "môžete prosím ďakujem dobrý deň kde prečo vám vás mi mňa sme nie ešte môže tento "
    "táto toto veľmi bez pred pretože aby ani nám chcem potrebujem kedy iba objednávka "
    "objednávky účet heslo včera dnes pomôcť pomoc bola vždy nikdy teraz preto bude môžem "
    "odoslaná svoju svoj pekne ďakujeme",
    "hu": "a az és hogy nem is egy ez de van meg csak már volt még ha vagy el mint ki azt be "
    "lehet aki ami akkor kell majd most minden után között amely ezt ön itt ott nagyon én "
    "te ő mi ti ők szerint vagyok hogyan miért hol mikor kérem köszönöm jó napot "
    "szeretnék tud nincs sem pedig lesz volna olyan ezek azok által alatt rendelés "
    "rendelését fiók jelszó tegnap ma segíteni segíthetek szeretném mindig soha ezért "
    "lett fogom vagyunk szépen miben foglalásomat",
    "ro": "de și în a la pe cu nu o este că din un se să care pentru mai sau ca au fost am ce "
    "el ea lui prin dar între fi sunt dacă după până lor către sa său fără cum când unde "
    "aici acest această avea vă rog mulțumesc bună ziua eu tu noi voi ei asupra despre "
    "foarte poate doar toate toți nici si sint dvs vreau comanda cont parola ieri astăzi "
    "ajuta ajutor întotdeauna niciodată acum deci dumneavoastră vom noastră nostru bine",
    "tr": "bir ve bu da de için ile çok o ne gibi daha kadar var mi sonra ama en her olan "
    "olarak ben sen biz siz onlar değil mı ise ya şey yok olduğu ki diye ancak veya iyi "
    "evet hayır nasıl neden nerede lütfen teşekkür teşekkürler merhaba bana sana size "
    "beni bunu şu hem göre önce oldu olur istiyorum ediyorum misiniz mısınız sipariş "
    "siparişiniz hesap şifre dün bugün yardım yardımcı zaman şimdi yüzden olacak "
    "gönderildi yolda olabilirim doğru iptal",
    "hr": "i je u se na da su za od s sa ne kao što to o iz koji koja koje ili bi ali kako do "
    "će po nije bio bila bilo biti sam samo već te ako može gdje kada zašto molim hvala "
    "dobar dan jer više nego između prema vrlo vam vas mi me smo ste ovo ova ovaj taj ta "
    "tko još možete trebam želim njegov također narudžba račun lozinka jučer danas pomoći "
    "pomoć uvijek nikad sada zato poslana ponovno kupnje svoju svoj ispravna otkazati",
    "sl": "in je v se na da so za od s z ne kot ki to o iz ali bi pa kako do bo po ni bil bila "
    "bilo biti sem samo že če lahko kje kdaj zakaj prosim hvala dober dan ker več med "
    "zelo vam vas mi me smo ste ta tudi kaj še tem pri jih bodo imajo moj naročilo račun "
    "geslo včeraj danes pomagam pomoč vedno nikoli zdaj zato poslano znova prekratko moje "
    "vaše",
    "et": "ja on ei see et ta oli ma kui mis aga siis ka kes nii ning või oma seda mida välja "
    "selle veel pärast need olid juba kõik nende nagu peale olema kuidas kus miks palun "
    "aitäh tere saab teie meie sina mina mul sul väga ainult midagi",
    "lv": "un ir ar no uz par ka kas tas bet vai es tu viņš viņa mēs jūs kā pie pēc līdz arī "
    "nav lai ja tika bija būt šo šis tā pa jau vēl tikai var kur kad kāpēc lūdzu paldies "
    "labdien jums man ļoti savu gan",
    "lt": "ir yra į iš su kad tai bet kaip ar aš tu jis ji mes jūs nuo per po dėl apie prie "
    "taip jo buvo būti šis ši tik gali kur kada kodėl prašau ačiū laba diena jums man "
    "labai savo už dar ne nėra kurie kuris bei",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena "
    "tersebut bisa ada mereka lebih kata tahun sudah atau saat oleh menjadi orang ia "
    "telah adalah seperti sebagai bahwa dapat para harus namun kita dua satu masih hari "
    "hanya kami anda terima kasih tolong silakan apa bagaimana",
    "vi": "và của là có không được cho trong một người những các với này đã khi đến như tôi bạn "
    "để từ ở ra cũng nhiều vào thì nếu rất tại phải làm anh chị em xin cảm ơn gì sẽ về",
    "ca": "de la i el que a en un les els per amb una no és del al es com més però seva seu ha "
    "són aquest aquesta o si també molt hi va ser on quan quin gràcies bon dia sisplau "
    "dels pel fer té ens ho hem dues sense entre fins puc vull",
}

CYRILLIC: Final = {
    "ru": "и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой "
    "ее вы как так если для все или от о же его бы мне меня вас вам был была было есть "
    "уже только когда где почему можно пожалуйста спасибо здравствуйте",
    "uk": "і в не на я бути він з що а по це вона цей до але вони ми весь який із у та за свій "
    "її ви як так якщо для все або від про його б мені мене вас вам був була було є вже "
    "тільки коли де чому можна будь ласка дякую добрий день й",
    "be": "і ў не на я быць ён з што а па гэта яна да але яны мы які за вы як так калі для ўсе "
    "або ад пра яго мне вас вам быў была было ёсць ужо толькі дзе чаму ласка дзякуй",
    "bg": "и на в да се не за е от с по като че са а до при към или но това тя той те ние аз "
    "още само който която което които има ще си му бе беше може как къде кога защо моля "
    "благодаря добър ден вас ви съм",
    "sr": "и је у се на да су за од с са не као што то о из који која које или би али како до "
    "ће по није био била било бити сам само већ ако може где када зашто молим хвала добар "
    "дан",
    "mk": "и на во да се не за е од со по како дека што а до при кон или но ова таа тој тие ние "
    "јас уште само кој која кое кои има ќе си му беше може каде кога зошто ве молам "
    "благодарам добар ден сум",
}

ARABIC: Final = {
    "ar": "في من على أن إلى التي عن لا ما هذا هذه كان مع ذلك أو الذي كل قد بعد هو هي لم كما بين "
    "حتى إذا يا لكن عند أنا نحن هل شكرا مرحبا يمكن يمكنك كيف أين متى و",
    "fa": "و در به از که این را با است برای آن یک می خود تا کرد بر هم نیز شد ما شما من او یا "
    "اما باید هر چه کنید لطفا سلام متشکرم چگونه کجا بود شود اند",
    "ur": "کے میں کی ہے اور سے کا کو اس کہ پر یہ نے ہیں بھی کر ایک نہیں تو آپ ہو تھا وہ ہم جو "
    "گیا کیا شکریہ براہ کرم کیسے کہاں کب",
}

LETTERS: Final = {
    "de": "äöüß",
    "fr": "éèêàçùûîïôœëâ",
    "es": "ñáéíóú¿¡",
    "pt": "ãõáéíóúâêôçà",
    "it": "àèéìòù",
    "nl": "ëé",
    "sv": "åäö",
    "da": "åæø",
    "no": "åæø",
    "fi": "äö",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșțşţ",
    "tr": "çğıöşü",
    "hr": "čćđšž",
    "sl": "čšž",
    "et": "äõöü",
    "lv": "āčēģīķļņšūž",
    "lt": "ąčęėįšųūž",
    "vi": "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "ca": "àçèéíïòóúü·",
    "ru": "ыэёъ",
    "uk": "іїєґ",
    "be": "ўіыэё",
    "bg": "ъщ",
    "sr": "ђћџљњј",
    "mk": "ѓќѕџљњј",
    "fa": "پچژگکی",
    "ur": "ٹڈڑےںہگچپکی",
    "ar": "ةىيك",
}
