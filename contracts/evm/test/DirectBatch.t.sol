// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Authorization, ItemCode} from "../src/PaymentTypes.sol";
import {IDirectBatch} from "../src/interfaces/IDirectBatch.sol";
import {IEIP3009, IEIP3009Bytes} from "../src/interfaces/IAuthorizedToken.sol";
import {DirectFixture} from "./DirectFixture.sol";
import {RecordingToken} from "./mocks/RecordingToken.sol";
import {HonestWallet} from "./mocks/Wallets.sol";

contract DirectBatchTest is DirectFixture {
    function test_anybodySettlesAndEveryWalletGetsWhatWasSignedToIt() public {
        bytes memory groups = abi.encodePacked(
            _head(merchant, 1, 2),
            _paid(merchant, 500),
            _paid(merchant, 70),
            _head(partner, type(uint64).max, 1),
            _paid(partner, 9)
        );
        vm.recordLogs();
        assertEq(_direct(groups), new bytes(3));
        assertEq(token.balanceOf(merchant), 570);
        assertEq(token.balanceOf(partner), 9);
        assertEq(token.balanceOf(payer), FUNDS - 579);
        assertEq(token.balanceOf(address(direct)), 0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 6, "the token's logs alone");
        for (uint256 i; i < logs.length; ++i) {
            assertEq(logs[i].emitter, address(token));
        }
    }

    function test_theUseIsLoggedRightBeforeItsTransfer() public {
        Authorization memory a = _authorization(payer, 500);
        vm.recordLogs();
        _direct(_to(merchant, _keyItem(PAYER_KEY, a, merchant, 1)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs[0].topics[0], keccak256("AuthorizationUsed(address,bytes32)"));
        assertEq(logs[0].topics[2], a.nonce);
        assertEq(logs[1].topics[0], keccak256("Transfer(address,address,uint256)"));
        assertEq(logs[1].topics[2], bytes32(uint256(uint160(merchant))));
        assertEq(abi.decode(logs[1].data, (uint256)), 500);
    }

    function test_refusedItemsAreNamedAndUndoNothing() public {
        Authorization memory early = _authorization(payer, 1);
        early.validAfter = block.timestamp;
        Authorization memory late = _authorization(payer, 2);
        late.validBefore = block.timestamp;
        Authorization memory once = _authorization(payer, 3);
        Authorization memory poor = _authorization(payer, FUNDS);
        Authorization memory forged = _authorization(payer, 5);
        bytes memory groups = abi.encodePacked(
            abi.encodePacked(
                _head(merchant, PAYOUT, 4),
                _paid(merchant, 500),
                _keyItem(PAYER_KEY, early, merchant, 2),
                _keyItem(PAYER_KEY, late, merchant, 3),
                _keyItem(PAYER_KEY, once, merchant, 4)
            ),
            abi.encodePacked(
                _head(merchant, PAYOUT, 4),
                _keyItem(PAYER_KEY, once, merchant, 5),
                _keyItem(PAYER_KEY, poor, merchant, 6),
                _keyItem(_key(1), forged, merchant, 7),
                _paid(merchant, 6)
            )
        );
        vm.recordLogs();
        bytes memory codes = _direct(groups);
        assertEq(codes.length, 8);
        ItemCode[8] memory expected = [
            ItemCode.Settled,
            ItemCode.NotYetValid,
            ItemCode.Expired,
            ItemCode.Settled,
            ItemCode.AuthorizationUsed,
            ItemCode.InsufficientFunds,
            ItemCode.PullRefused,
            ItemCode.Settled
        ];
        // Foundry records the logs of calls that were undone too: of the token's there may be more than the chain has.
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 place;
        for (uint256 i; i < 8; ++i) {
            _expect(codes, i, expected[i]);
            if (expected[i] == ItemCode.Settled) continue;
            while (logs[place].emitter == address(token)) ++place;
            assertEq(logs[place].emitter, address(direct));
            assertEq(logs[place].topics[0], IDirectBatch.ItemRefused.selector);
            assertEq(logs[place++].data, abi.encode(i, expected[i]));
        }
        assertEq(token.balanceOf(merchant), 509);
        assertEq(token.balanceOf(payer), FUNDS - 509);
    }

    function test_theWindowIsTheTokensToTheSecond() public {
        Authorization memory a = _authorization(payer, 500);
        a.validAfter = block.timestamp;
        a.validBefore = block.timestamp + 2;
        bytes memory groups = _to(merchant, _keyItem(PAYER_KEY, a, merchant, 1));
        _expect(_direct(groups), 0, ItemCode.NotYetValid);
        vm.warp(a.validBefore);
        _expect(_direct(groups), 0, ItemCode.Expired);
        vm.warp(a.validBefore - 1);
        _expect(_direct(groups), 0, ItemCode.Settled);
        vm.warp(a.validBefore);
        _expect(_direct(groups), 0, ItemCode.AuthorizationUsed);
    }

    function test_theLastUnitOfAWalletIsEnough() public {
        bytes memory groups = _to(merchant, _paid(merchant, FUNDS));
        vm.prank(payer);
        token.transfer(partner, 1);
        _expect(_direct(groups), 0, ItemCode.InsufficientFunds);
        vm.prank(partner);
        token.transfer(payer, 1);
        token.setBlacklisted(payer, true);
        _expect(_direct(groups), 0, ItemCode.PullRefused);
        token.setBlacklisted(payer, false);
        _expect(_direct(groups), 0, ItemCode.Settled);
    }

    function test_aGroupForAnotherWalletMovesNothing() public {
        bytes memory groups = _to(stranger, _paid(merchant, 500));
        _expect(_direct(groups), 0, ItemCode.PullRefused);
        assertEq(token.balanceOf(stranger), 0);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    function test_theContractItselfIsNoWallet() public {
        bytes memory groups =
            abi.encodePacked(_to(address(direct), _paid(address(direct), 500)), _to(merchant, _paid(merchant, 70)));
        vm.prank(stranger);
        vm.expectRevert(IDirectBatch.MalformedBatch.selector);
        direct.settle(address(token), CALL_GAS, groups);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    function test_anEmptyBatchAndAnEmptyGroupDoNothing() public {
        assertEq(_direct("").length, 0);
        bytes memory codes = _direct(abi.encodePacked(_head(merchant, 1, 0), _to(partner, _paid(partner, 5))));
        assertEq(codes, new bytes(1));
        assertEq(token.balanceOf(partner), 5);
    }

    function testFuzz_aBatchCutAnywhereReverts(uint256 length) public {
        bytes memory groups = abi.encodePacked(
            _to(merchant, _paid(merchant, 500)), _to(partner, _walletItem(_authorization(payer, 7), 1, new bytes(70)))
        );
        length = bound(length, 1, groups.length - 1);
        // Between the groups a batch may end.
        if (length == 178) ++length;
        assembly {
            mstore(groups, length)
        }
        vm.prank(stranger);
        vm.expectRevert(IDirectBatch.MalformedBatch.selector);
        direct.settle(address(token), CALL_GAS, groups);
    }

    function test_bytesBehindTheLastGroupRevert() public {
        bytes memory groups = abi.encodePacked(_to(merchant, _paid(merchant, 500)), uint8(0));
        vm.prank(stranger);
        vm.expectRevert(IDirectBatch.MalformedBatch.selector);
        direct.settle(address(token), CALL_GAS, groups);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    /// @dev Whatever byte is changed, on the way or by the caller: the payment happens as signed, or not at all.
    function testFuzz_aChangedByteMovesNothingElsewhere(uint256 position, uint8 change) public {
        bytes memory groups = _to(merchant, _paid(merchant, 500));
        position = bound(position, 0, groups.length - 1);
        groups[position] ^= bytes1(change);
        vm.prank(stranger);
        try direct.settle(address(token), CALL_GAS, groups) returns (bytes memory codes) {
            bool ignored = change == 0 || (position >= 20 && position < 28) || (position >= 72 && position < 80);
            assertEq(_code(codes, 0) == ItemCode.Settled, ignored, "payout id and intent code alone may change");
        } catch {}
        uint256 moved = FUNDS - token.balanceOf(payer);
        assertTrue(moved == 0 || moved == 500);
        assertEq(token.balanceOf(merchant), moved);
    }

    function test_contractWalletsVerifyTheirOwnBytesBesideKeys() public {
        HonestWallet wallet = new HonestWallet(payer);
        token.mint(address(wallet), 1_000);
        Authorization memory long = _authorization(address(wallet), 300);
        Authorization memory short = _authorization(address(wallet), 40);
        bytes memory groups = abi.encodePacked(
            _head(merchant, PAYOUT, 3),
            _walletItem(long, 1, abi.encodePacked(_signature(PAYER_KEY, long, merchant), new bytes(100))),
            _walletItem(short, 2, _signature(PAYER_KEY, short, merchant)),
            _paid(merchant, 500)
        );
        assertEq(_direct(groups), new bytes(3));
        assertEq(token.balanceOf(address(wallet)), 660);
        assertEq(token.balanceOf(merchant), 840);
    }

    /// @dev The calls of the token, to the byte, for every mix of the two forms and every length of a signature.
    function testFuzz_theTokenIsCalledExactlyAsEncoded(uint256 seed) public {
        RecordingToken recorder = new RecordingToken();
        bytes memory groups = _head(merchant, uint64(seed), 3);
        bytes[3] memory expected;
        for (uint256 i; i < 3; ++i) {
            uint256 die = uint256(keccak256(abi.encode(seed, i)));
            Authorization memory a = _authorization(address(uint160(die)), uint96(die >> 160));
            a.validAfter = uint40(die >> 100);
            a.validBefore = uint40(die >> 50);
            bytes memory item;
            (item, expected[i]) = _itemAndCall(a, die % 3 == 0 ? 0 : 1 + die % 300, die);
            groups = abi.encodePacked(groups, item);
        }
        assertEq(direct.settle(address(recorder), CALL_GAS, groups), new bytes(3));
        for (uint256 i; i < 3; ++i) {
            assertEq(recorder.calls(i), keccak256(expected[i]), vm.toString(i));
        }
    }

    function _itemAndCall(Authorization memory a, uint256 length, uint256 seed)
        private
        view
        returns (bytes memory item, bytes memory expected)
    {
        if (length == 0) {
            bytes32 r = keccak256(abi.encode(seed, "r"));
            uint256 vs = uint256(keccak256(abi.encode(seed, "vs")));
            item = _packed(a, uint64(seed), 0, abi.encodePacked(r, vs));
            uint8 v = uint8(27 + (vs >> 255));
            expected = abi.encodeCall(
                IEIP3009.transferWithAuthorization,
                (a.from, merchant, a.value, a.validAfter, a.validBefore, a.nonce, v, r, bytes32(vs & (1 << 255) - 1))
            );
            return (item, expected);
        }
        bytes memory signature = new bytes(length);
        for (uint256 i; i < length; ++i) {
            signature[i] = bytes1(uint8(1 + (seed + i) % 255));
        }
        item = _walletItem(a, uint64(seed), signature);
        expected = abi.encodeCall(
            IEIP3009Bytes.transferWithAuthorization,
            (a.from, merchant, a.value, a.validAfter, a.validBefore, a.nonce, signature)
        );
    }

    function test_aGroupMayHaveMoreItemsThanAByteCounts() public {
        bytes memory item = _paid(merchant, 1);
        bytes memory ten = abi.encodePacked(item, item, item, item, item, item, item, item, item, item);
        bytes memory hundred = abi.encodePacked(ten, ten, ten, ten, ten, ten, ten, ten, ten, ten);
        bytes memory codes = _direct(abi.encodePacked(_head(merchant, PAYOUT, 300), hundred, hundred, hundred));
        assertEq(codes.length, 300);
        _expect(codes, 0, ItemCode.Settled);
        _expect(codes, 299, ItemCode.AuthorizationUsed);
        assertEq(token.balanceOf(merchant), 1);
    }

    function test_itTakesNoEther() public {
        vm.deal(stranger, 2 ether);
        vm.startPrank(stranger);
        (bool plain,) = address(direct).call{value: 1 ether}("");
        (bool paying,) =
            address(direct).call{value: 1 ether}(abi.encodeCall(direct.settle, (address(token), CALL_GAS, "")));
        vm.stopPrank();
        assertFalse(plain);
        assertFalse(paying);
    }

    function test_anAddressWithoutCodeIsNoToken() public {
        bytes memory groups = _to(merchant, _paid(merchant, 500));
        vm.expectRevert(abi.encodeWithSelector(TokenWithoutCode.selector, stranger));
        direct.settle(stranger, CALL_GAS, groups);
    }
}
