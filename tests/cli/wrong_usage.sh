# Wrong flags and impossible combinations are refused before any work, in one sentence, with exit code 2.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
: >empty.pt
mkdir folder

refused 2 "no command given"
refused 2 "frobnicate" frobnicate
refused 2 "--model" record --inputs "$prose" --out x.h5
refused 2 "--out" record --model "$model" --inputs "$prose"
refused 2 "--nonsense" record --model "$model" --inputs "$prose" --out x.h5 --nonsense
refused 2 "no file nowhere.pt" record --model nowhere.pt --inputs "$prose" --out x.h5
refused 2 "nowhere.json" record --model "$model" --inputs a=nowhere.json --out x.h5 --device cpu
refused 2 "--store takes" record --model "$model" --inputs "$prose" --out x.h5 --store rows:0
refused 2 "--store takes" record --model "$model" --inputs "$prose" --out x.h5 --store some
refused 2 "--compress takes" record --model "$model" --inputs "$prose" --out x.h5 --compress 10
for level in zstd:0 zstd:20 zstd: zstd:1x zstd1 lz4 0 -1; do
  refused 2 "--compress takes none, a level of gzip from 1 to 9, zstd, or zstd:LEVEL" record --model "$model" --inputs "$prose" --out x.h5 --compress="$level"
done
refused 2 "float12" record --model "$model" --inputs "$prose" --out x.h5 --dtype float12
refused 2 "two inputs are named 'prose'" record --model "$model" --inputs "$prose" prose="$code" --out x.h5
refused 2 "matches no tap" record --model "$model" --inputs "$prose" --out x.h5 --device cpu --layers 'laeyrs.**'
refused 2 "empty" record --model empty.pt --inputs "$prose" --out x.h5 --device cpu
refused 2 "folder" record --model "$model" --inputs "$prose" --out folder --device cpu
refused 2 "--config" record --model "$model" --config "$FIXTURES/decoder/config.json" --inputs "$prose" --out x.h5 --device cpu
refused 3 "cuda:77" record --model "$model" --inputs "$prose" --out x.h5 --device cuda:77
refused 2 "unknown device 'gpu'" record --model "$model" --inputs "$prose" --out x.h5 --device gpu
refused 2 "--threads takes 1 to" record --model "$model" --inputs "$prose" --out x.h5 --threads 100000
refused 2 "--threads takes 1 to" record --model "$model" --inputs "$prose" --out x.h5 --threads 0
for typed in x 0GB -1 -2 +5GB 8XB 18446744073709551616; do
  refused 2 "--stream-weights takes" record --model "$model" --inputs "$prose" --out x.h5 --stream-weights="$typed"
done
refused 2 "--devices takes numbers of GPUs" record --model "$model" --inputs "$prose" --out x.h5 --devices 0,cpu
refused 2 "--devices names cuda:1 twice" record --model "$model" --inputs "$prose" --out x.h5 --devices 1,cuda:01
refused 2 "--devices" record --model "$model" --inputs "$prose" --out x.h5 --devices 0,1 --device cpu
refused 2 "--stream-weights is for bare weights" record --model "$model" --inputs "$prose" --out x.h5 --stream-weights
refused 2 "--threads takes 1 to" compare golden.h5 --model "$model" --threads -1
for seed in -1 18446744073709551616; do
  refused 2 "--seed takes" record --model "$model" --inputs "$prose" --out x.h5 --seed "$seed"
  refused 2 "--seed takes" compare golden.h5 --model "$model" --seed "$seed"
done
for flag in --config --method --library --device --layers --store --seed; do
  refused 2 "$flag was given an empty text" record --model "$model" --inputs "$prose" --out x.h5 $flag ""
done
refused 2 "--model was given an empty text" record --model "" --inputs "$prose" --out x.h5
refused 2 "--inputs was given an empty text" record --model "$model" --inputs "" --out x.h5
refused 2 "--out was given an empty text" record --model "$model" --inputs "$prose" --out ""
for flag in --model --save --json --skip; do
  refused 2 "$flag was given an empty text" compare golden.h5 golden.h5 $flag ""
done
refused 2 "golden was given an empty text" compare "" --model "$model"
refused 2 "candidate was given an empty text" compare golden.h5 ""
refused 2 "--layer was given an empty text" inspect golden.h5 --layer ""
for glob in '[' 'a[b'; do
  refused 2 "'[' that no ']' closes" record --model "$model" --inputs "$prose" --out x.h5 --layers "$glob"
  refused 2 "'[' that no ']' closes" compare golden.h5 golden.h5 --skip "$glob"
  refused 2 "'[' that no ']' closes" inspect golden.h5 --layer "$glob"
done
refused 2 "control character" record --model "$model" --inputs "$prose" --out x.h5 --layers $'a\nb'
refused 2 "has a '/'" record --model "$model" --inputs "a/b=$prose" --out x.h5
refused 2 "case name '' is empty" record --model "$model" --inputs "=$prose" --out x.h5
refused 2 "control characters" record --model "$model" --inputs $'a\e[31m='"$prose" --out x.h5
refused 2 "no UTF-8" record --model "$model" --inputs $'a\xff='"$prose" --out x.h5
refused 2 "has 300 bytes" record --model "$model" --inputs "$(printf '%0300d' 0)=$prose" --out x.h5
refused 2 "no file" record --model "$(printf '%05000d' 0)" --inputs "$prose" --out x.h5
refused 2 "unknown device" record --model "$model" --inputs "$prose" --out x.h5 --device $'\e[31m'
lacks stderr $'\e'
no_file x.h5

refused 2 "nothing to compare" compare golden.h5
refused 2 "not both" compare golden.h5 golden.h5 --model "$model"
refused 2 "--dtype belongs to a replay" compare golden.h5 golden.h5 --dtype float32
refused 2 "nowhere.h5" compare nowhere.h5 --model "$model"
refused 2 "matches no tap" compare golden.h5 golden.h5 --skip nothing
refused 2 "would overwrite" compare golden.h5 --model "$model" --device cpu --save golden.h5
refused 2 "matches" inspect golden.h5 --layer nothing
exit 0
